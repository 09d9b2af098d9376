// The scene's text in CodeMirror. It lives in a shadow root, so that its styles need no exception from the content security policy.
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory, redo, undo } from '@codemirror/commands'
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { toml } from '@codemirror/legacy-modes/mode/toml'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Annotation, EditorState, Transaction } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Failure } from '../core/protocol'
import { difference } from '../toml/patch'
import type { Change } from '../toml/patch'

const fromServer = Annotation.define<boolean>()

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', color: 'var(--text)', backgroundColor: 'var(--panel)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--accent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selection) !important' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)', color: 'var(--text)', backgroundColor: 'var(--raised)' },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
})

const words = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--comment)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--string)' },
  { tag: [tags.number, tags.bool, tags.atom], color: 'var(--number)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--key)' },
  { tag: [tags.heading, tags.standard(tags.atom), tags.atom], color: 'var(--section)', fontWeight: '600' },
])

export class Editor {
  readonly host = document.createElement('div')
  private readonly view: EditorView
  onEdit: (text: string) => void = () => {}
  onText: (text: string) => void = () => {}

  constructor() {
    this.host.className = 'editor'
    const root = this.host.attachShadow({ mode: 'open' })
    this.view = new EditorView({ state: this.fresh(''), root, parent: root })
  }

  get text(): string {
    return this.view.state.doc.toString()
  }

  // Another document: its history begins here.
  load(text: string): void {
    this.view.setState(this.fresh(text))
    this.onText(text)
  }

  // What another page wrote: only what differs changes, so that the cursor and the history stay.
  follow(text: string): void {
    if (text === this.text) return
    this.view.dispatch({
      changes: difference(this.text, text),
      annotations: [fromServer.of(true), Transaction.addToHistory.of(false)],
    })
  }

  // A change by the panel or the handles. Parts of one movement are undone together.
  change(changes: Change[], movement = false): void {
    this.view.dispatch({
      changes,
      userEvent: movement ? 'input.slide' : 'input.panel',
      annotations: movement ? [] : [isolateHistory.of('full')],
    })
  }

  undo(): void {
    undo(this.view)
  }

  redo(): void {
    redo(this.view)
  }

  mark(failure: Failure | null): void {
    const { doc } = this.view.state
    const line = failure?.line ? doc.line(Math.min(doc.lines, Math.max(1, failure.line))) : null
    const from = line ? Math.min(line.to, line.from + Math.max(0, (failure?.column ?? 1) - 1)) : 0
    this.view.dispatch(
      setDiagnostics(
        this.view.state,
        failure && line ? [{ from, to: Math.max(from, line.to), severity: 'error', message: failure.message }] : [],
      ),
    )
  }

  goTo(at: number): void {
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
    this.view.focus()
  }

  private fresh(text: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history({ newGroupDelay: 600 }),
        drawSelection(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        lintGutter(),
        StreamLanguage.define(toml),
        syntaxHighlighting(words),
        look,
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ 'aria-label': 'Text of the scene', tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return
          const remote = update.transactions.some((transaction) => transaction.annotation(fromServer))
          this.onText(this.text)
          if (!remote) this.onEdit(this.text)
        }),
      ],
    })
  }
}

// A value that tells those who look at it when it changes.
export class Signal<T> {
  private readonly watchers = new Set<(value: T) => void>()
  constructor(private current: T) {}

  get value(): T {
    return this.current
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return
    this.current = value
    this.tell()
  }

  // After a change inside the value.
  tell(): void {
    for (const watcher of [...this.watchers]) watcher(this.current)
  }

  // Calls at once, and at each change; returns what ends it.
  watch(watcher: (value: T) => void): () => void {
    this.watchers.add(watcher)
    watcher(this.current)
    return () => this.watchers.delete(watcher)
  }

  // Calls at each change from now on.
  later(watcher: (value: T) => void): () => void {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }
}

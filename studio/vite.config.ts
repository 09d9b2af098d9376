import { defineConfig } from 'vite'

// Everything the page needs is in dist/: no request leaves the machine. The server of the program stands behind `npm run dev`.
const server = process.env.FIRN_STUDIO ?? 'http://127.0.0.1:8017'

export default defineConfig({
  base: '/',
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1500 },
  server: { proxy: { '/ws': { target: server, ws: true }, '/files': server, '/upload': server } },
})

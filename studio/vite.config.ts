import { defineConfig } from 'vite'

// Everything the page needs is in dist/: no request leaves the machine. The server of the program stands behind `npm run dev`.
const target = { host: 'localhost', port: Number(process.env.FIRN_STUDIO_PORT ?? 8017) }
const server = { target, changeOrigin: true }

export default defineConfig({
  base: '/',
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1500 },
  server: { proxy: { '/ws': { ...server, ws: true }, '/files': server, '/upload': server } },
})

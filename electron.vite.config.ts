import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

// Everything is bundled, so that the packaged application holds no node_modules.
export default defineConfig({
  main: {
    build: {
      target: 'node24',
      outDir: 'out/main',
      externalizeDeps: false,
      sourcemap: true,
      rolldownOptions: {
        input: { index: 'main/electron/index.ts', cli: 'main/cli/main.ts', thread: 'main/threads/thread.ts' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      externalizeDeps: false,
      // A sandboxed preload must be one CommonJS file.
      rolldownOptions: {
        input: { index: 'main/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [react()],
    build: {
      target: 'chrome140',
      // electron-vite does not minify by default; the page budget is 400 kB compressed.
      minify: true,
      outDir: 'out/renderer',
      rolldownOptions: { input: 'renderer/index.html' },
    },
  },
})

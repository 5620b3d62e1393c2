import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { serveStories } from './serveStory.ts'

export default defineConfig({
  plugins: [
    react(),
    {
      name: 'stories',
      configureServer: ({ httpServer }) => void (httpServer && serveStories(httpServer)),
      configurePreviewServer: ({ httpServer }) => serveStories(httpServer),
    },
  ],
  build: { target: 'chrome140', outDir: '../../../.cache/page', emptyOutDir: true },
})

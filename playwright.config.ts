import { defineConfig } from '@playwright/test'

// Chromium cannot start its sandbox as root; test/run.mjs sets CHROMIUM_PATH.
const asRoot = process.getuid?.() === 0

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  workers: 1,
  timeout: 60_000,
  forbidOnly: true,
  reporter: [['list'], ['json']],
  projects: [
    {
      name: 'web',
      testMatch: /web\/.*\.spec\.ts$/,
      use: {
        launchOptions: {
          executablePath: process.env['CHROMIUM_PATH'] ?? 'chromium',
          args: asRoot ? ['--no-sandbox'] : [],
        },
      },
    },
    { name: 'electron', testMatch: /electron\.spec\.ts$/ },
  ],
})

import { defineConfig } from '@playwright/test'
import { CHROMIUM_ARGS, chromiumPath } from './test/harness/chromium.ts'

const executablePath = chromiumPath()

/**
 * Tests wait for facts; on a slow machine with two busy cores a fact may take far longer than the usual five seconds: a
 * simulation's ten minutes in advance took more than two and a half.
 */
const PATIENT = { timeout: process.env['CI'] === undefined ? 60_000 : 600_000 }

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  // Pages mostly wait for samples, on two cores too.
  workers: 3,
  timeout: 3_600_000,
  expect: PATIENT,
  use: { actionTimeout: PATIENT.timeout },
  // What passes only then is printed as flaky, and fails the run of a workflow (test/reports.ts).
  retries: 1,
  failOnFlakyTests: process.env['CI'] !== undefined,
  forbidOnly: true,
  // `npm test` asks for the report that it counts from.
  reporter: process.env['PLAYWRIGHT_JSON_OUTPUT_FILE'] === undefined ? 'list' : [['list'], ['json']],
  projects: [
    {
      name: 'web',
      testMatch: /web\/.*\.spec\.ts$/,
      use: {
        launchOptions: { args: CHROMIUM_ARGS, ...(executablePath === undefined ? {} : { executablePath }) },
      },
    },
    {
      name: 'pictures',
      testMatch: /pictures\/.*\.spec\.ts$/,
      snapshotPathTemplate: '{testDir}/pictures/screens/{arg}{ext}',
      // Full hinting of letters changes 118 pixels of a screen at most, a line at a fraction of a pixel, which Chromium
      // rasterises in one of two ways, 588.
      expect: { ...PATIENT, toHaveScreenshot: { maxDiffPixels: 1_000 } },
      use: {
        launchOptions: {
          args: [...CHROMIUM_ARGS, '--disable-lcd-text', '--font-render-hinting=none'],
          ...(executablePath === undefined ? {} : { executablePath }),
        },
      },
    },
    { name: 'electron', testMatch: /electron\.spec\.ts$/ },
  ],
})

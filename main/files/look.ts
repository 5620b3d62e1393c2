import { readFileSync } from 'node:fs'
import type { Look } from '../../core/report/html.ts'

/** The look of the console's page, for pages that the command line writes. */
export const readLook = (): Look => ({
  // A build puts the files in place of these calls: `withFiles` in electron.vite.config.ts.
  tokens: readFileSync(new URL('../../renderer/theme/tokens.css', import.meta.url), 'utf8'),
  font: `data:font/woff2;base64,${readFileSync(
    new URL('../../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2', import.meta.url),
    'base64',
  )}`,
})

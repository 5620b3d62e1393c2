import font from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url'
import type { Look } from '../../../core/report/html.ts'
import { base64Of } from '../../state/upload.ts'

/** The rules with the tokens, as this page has them. */
export const pageTokens = (): string =>
  [...document.styleSheets]
    .flatMap(({ cssRules }) => [...cssRules])
    .map(({ cssText }) => cssText)
    .filter((text) => text.startsWith(':root'))
    .join('')

/** The look of this page, for one that is saved. */
export const pageLook = async (): Promise<Look> => ({
  tokens: pageTokens(),
  font: `data:font/woff2;base64,${base64Of(new Uint8Array(await (await fetch(font)).arrayBuffer()))}`,
})

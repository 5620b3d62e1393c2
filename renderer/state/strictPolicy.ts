import { setNonce } from 'get-nonce'

/*
 * Imported before everything else: both settings must be in place before the first schema is made and the first style
 * is added, or the page's own content security policy reports it.
 */

/**
 * The policy forbids code generated from text, which zod would otherwise try. zod reads this object when it is loaded,
 * which is after the first screen: `z.config` would load it earlier.
 */
const CONFIG = '__zod_globalConfig'
const shared: typeof globalThis & { [CONFIG]?: object } = globalThis
Object.assign((shared[CONFIG] ??= {}), { jitless: true })

/** The libraries that add style elements (scroll lock, select viewport) read it through `get-nonce`. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
setNonce(nonce)

import { setNonce } from 'get-nonce'
import { z } from 'zod'

/*
 * Imported before everything else: both settings must be in place before the first schema is made and the first style
 * is added, or the page's own content security policy reports it.
 */

/** The policy forbids code made from text, which zod would otherwise try. */
z.config({ jitless: true })

/** The libraries that add style elements (scroll lock, select viewport) ask for it through `get-nonce`. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
setNonce(nonce)

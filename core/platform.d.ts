/**
 * The only platform API that core uses besides the language itself: UTF-8 and base64. Node, browsers and workers all have
 * them as globals, but `lib: ["es2024"]` does not declare them.
 */
declare class TextDecoder {
  constructor(label: 'utf-8', options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}
/** Throws for what is not base64. A character for each byte. */
declare function atob(base64: string): string
declare class TextEncoder {
  encode(text: string): Uint8Array
}

/**
 * The one thing core takes from its platform beside the language: decoding UTF-8. Node, browsers and workers all have
 * it as a global, and `lib: ["es2024"]` does not know it.
 */
declare class TextDecoder {
  constructor(label: 'utf-8', options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}

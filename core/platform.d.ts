/**
 * The one thing core takes from its platform beside the language: UTF-8. Node, browsers and workers all have it as globals,
 * and `lib: ["es2024"]` does not know them.
 */
declare class TextDecoder {
  constructor(label: 'utf-8', options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}
declare class TextEncoder {
  encode(text: string): Uint8Array
}

/**
 * The only platform API that core uses besides the language itself: UTF-8 decoding. Node, browsers and workers all have
 * it as a global, but `lib: ["es2024"]` does not declare it.
 */
declare class TextDecoder {
  constructor(label: 'utf-8', options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}
declare class TextEncoder {
  encode(text: string): Uint8Array
}

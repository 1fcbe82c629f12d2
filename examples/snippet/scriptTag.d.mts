export declare const readableSnippet: string
export declare const oneLineSnippet: string
export declare const shortScriptTag: (options: { token: string; url: string; nonce?: string }) => string
export declare const scriptTag: (options: {
  token: string
  config: Readonly<Record<string, unknown>>
  nonce?: string
  snippet?: string
}) => string

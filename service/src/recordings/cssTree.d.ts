// css-tree has no types.
declare module 'css-tree/tokenizer' {
  /** Calls `onToken` with each token of a style sheet in order, comments and white space included. */
  export const tokenize: (css: string, onToken: (type: number, start: number, end: number) => void) => void
  /** The types of tokens, by name. */
  export const tokenTypes: {
    readonly Function: number
    readonly AtKeyword: number
    readonly String: number
    readonly Url: number
    readonly BadUrl: number
    readonly WhiteSpace: number
    readonly Semicolon: number
    readonly LeftSquareBracket: number
    readonly RightSquareBracket: number
    readonly LeftParenthesis: number
    readonly RightParenthesis: number
    readonly LeftCurlyBracket: number
    readonly RightCurlyBracket: number
    readonly Comment: number
  }
}

declare module 'css-tree' {
  /** A node of a syntax tree. These are the kinds of nodes that tests read. */
  export type Node =
    | { readonly type: 'Url' | 'Raw'; readonly value: string }
    | { readonly type: 'Function' | 'Atrule'; readonly name: string }
  export const parse: (css: string, options?: { readonly parseCustomProperty?: boolean }) => Node
  /** Calls `visit` with each node of a tree. */
  export const walk: (tree: Node, visit: (node: Node) => void) => void
}

declare module 'css-tree/utils' {
  /** Functions that return what tokens stand for, without quotation marks and escapes. */
  export const ident: { readonly decode: (token: string) => string }
  export const string: { readonly decode: (token: string) => string }
  export const url: { readonly decode: (token: string) => string }
}

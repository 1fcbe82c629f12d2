/**
 * Signatures by function name. A signature lists parameter types, `->` and the result type.
 *
 * Parameter types: `text number integer boolean time date uuid array lambda any ordered`; `json`: JSON in a string, where NULL is read as
 * the empty string; `alike`: must agree in type with the other `alike` arguments; `key`: a step of a path into JSON.
 * `?` after a type: optional. `...`: may repeat. Types in parentheses before the others: the parameters of `quantile(0.9)(x)`.
 *
 * Result types: the same words, `same` (type of the first argument) or `member` (element type of the first argument).
 * `!` after it: never NULL. `?`: may be NULL for any arguments. Neither: NULL if an argument may be NULL.
 */
export type Signatures = Readonly<Record<string, string>>

// Vitest needs a newer Node than this repository, so it is not installed here. These are the types of it that are used.
declare module 'vitest' {
  export interface Matchers<T = any> {}
  export const expect: { extend(added: object): void }
}

// The types of Vitest that this folder uses. Vitest needs a newer Node than this repository, so it is not installed here.
declare module 'vitest' {
  export interface Matchers<T = any> {}
  export const expect: { extend(added: object): void }
}

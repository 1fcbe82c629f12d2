/** An import cannot go on. The message says where and why. What was delivered is stored. */
export class ImportError extends Error {
  override name = 'ImportError'
}

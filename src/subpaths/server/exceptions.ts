const MAX_CAUSES = 5
const MAX_STACK = 10_000

/** Returns `$exception_list` of an error and its causes. The service parses the stacks. */
export const exceptionListOf = (error: unknown) => {
  const errors = new Set<unknown>()
  for (let each = error; each !== undefined && errors.size < MAX_CAUSES && !errors.has(each);) {
    errors.add(each)
    each = (each as Error | null)?.cause
  }
  return [...errors].map((each) => {
    const { name, message, stack } = (each ?? {}) as Partial<Error>
    return {
      type: name ?? 'Error',
      value: message ?? String(each),
      mechanism: { type: 'generic', handled: true, synthetic: !stack },
      stack: String(stack ?? '').slice(0, MAX_STACK),
    }
  })
}

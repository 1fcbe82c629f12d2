/** Returns `compute` with a memory of its latest result: computes again only when an argument is another. */
export const memo = <A extends unknown[], T>(compute: (...args: A) => T): ((...args: A) => T) => {
  let latest: { args: A; result: T } | undefined
  return (...args) => {
    if (!latest || args.some((each, index) => each !== latest!.args[index])) latest = { args, result: compute(...args) }
    return latest.result
  }
}

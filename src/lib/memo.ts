/** Caches the latest result of `compute`. Computes again only when an argument changes (by identity). */
export const memo = <A extends unknown[], T>(compute: (...args: A) => T): ((...args: A) => T) => {
  let latest: { args: A; result: T } | undefined
  return (...args) => {
    if (!latest || args.some((each, index) => each !== latest!.args[index])) latest = { args, result: compute(...args) }
    return latest.result
  }
}

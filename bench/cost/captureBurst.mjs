/** Runs in the page: makes `count` calls in one task and returns their total duration in ms. */
export const captureBurst = ({ name, count }) => {
  const start = performance.now()
  for (let call = 0; call < count; call += 1)
    window.capture(name, { item: `sku-${call}`, price: call * 1.25, currency: 'EUR' })
  return performance.now() - start
}

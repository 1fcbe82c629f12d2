import { CURRENCY } from '../catalog/products.mjs'

const whole = new Intl.NumberFormat('en', { style: 'currency', currency: CURRENCY, maximumFractionDigits: 0 })

/** Formats an amount. */
export const price = (amount) => whole.format(amount)

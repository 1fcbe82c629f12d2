import { CURRENCY } from '../catalogue/products.mjs'

const whole = new Intl.NumberFormat('en', { style: 'currency', currency: CURRENCY, maximumFractionDigits: 0 })

/** An amount as it is written on a label. */
export const price = (amount) => whole.format(amount)

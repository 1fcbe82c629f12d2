import { analytics } from 'trailmark'

export const start = () => analytics.init('tm_token', { api_host: 'https://t.example.com' })

export const buy = (amount: number) => {
  const isShort = analytics.getFeatureFlag('new-checkout') === 'short'
  analytics.capture('purchase', { amount, steps: isShort ? 2 : 4 })
}

import type { Analytics } from 'trailmark'

/** A page: its title and content. The id of a button says what it does. */
export interface Route {
  title: string
  text: string
  actions: { id: string; label: string; run(analytics: Analytics): void }[]
}

const home: Route = {
  title: 'Home',
  text: 'Each button captures an event. Navigation captures pageviews automatically.',
  actions: [
    {
      id: 'capture',
      label: 'Capture an event',
      run: (analytics) => analytics.capture('button pressed', { place: 'home' }),
    },
    { id: 'identify', label: 'Sign in', run: (analytics) => analytics.identify('user_42', { plan: 'trial' }) },
    { id: 'reset', label: 'Sign out', run: (analytics) => analytics.reset() },
  ],
}

const pricing: Route = {
  title: 'Pricing',
  text: 'One plan, one price.',
  actions: [
    {
      id: 'purchase',
      label: 'Buy for €42',
      run: (analytics) =>
        analytics.capture('purchase', {
          amount: 42,
          currency: 'EUR',
          items: [{ product: 'plan', quantity: 1, price: 42 }],
        }),
    },
  ],
}

export const routeAt = (pathname: string): Route => (pathname.endsWith('/pricing') ? pricing : home)

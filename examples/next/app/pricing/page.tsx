import type { Metadata } from 'next'

export const metadata: Metadata = { title: 'Pricing' }

export default function Pricing() {
  return <h1>Pricing</h1>
}

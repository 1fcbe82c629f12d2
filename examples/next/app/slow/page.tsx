import type { Metadata } from 'next'

export const metadata: Metadata = { title: 'Slow' }

export default async function Slow() {
  await new Promise((done) => setTimeout(done, 3000))
  return <h1>Slow</h1>
}

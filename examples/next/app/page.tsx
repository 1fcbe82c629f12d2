import type { Metadata } from 'next'
import { Checkout } from './checkout'

export const metadata: Metadata = { title: 'Home' }

export default function Home() {
  return (
    <>
      <h1>Home</h1>
      <p id="welcome">Welcome</p>
      <Checkout />
    </>
  )
}

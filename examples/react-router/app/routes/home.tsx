import { useState } from 'react'
import { TrailmarkErrorBoundary, useFeatureFlagVariantKey } from 'trailmark/react-router'

const Broken = (): never => {
  throw new Error('Broken on purpose')
}

export const meta = () => [{ title: 'Home' }]

export default function Home() {
  const checkout = useFeatureFlagVariantKey('new-checkout')
  const [isBroken, setBroken] = useState(false)
  return (
    <>
      <h1>Home</h1>
      <p id="welcome">Welcome</p>
      <p>
        Checkout: <b id="flag">{String(checkout)}</b>
      </p>
      <TrailmarkErrorBoundary fallback={<p role="alert">Something went wrong. We have been told.</p>}>
        {isBroken && <Broken />}
        <button id="fail" onClick={() => setBroken(true)}>
          Break
        </button>
      </TrailmarkErrorBoundary>
    </>
  )
}

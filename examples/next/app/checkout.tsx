'use client'

import { useState } from 'react'
import { TrailmarkErrorBoundary, useFeatureFlagVariantKey } from 'trailmark/next'

const Broken = (): never => {
  throw new Error('Broken on purpose')
}

export const Checkout = () => {
  const checkout = useFeatureFlagVariantKey('new-checkout')
  const [isBroken, setBroken] = useState(false)
  return (
    <>
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

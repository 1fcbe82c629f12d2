'use client'

import Link from 'next/link'
import { useCapture } from 'trailmark/next'

export const Navigation = () => {
  const capture = useCapture()
  return (
    <nav>
      <Link id="home" href="/">
        Home
      </Link>{' '}
      <Link id="pricing" href="/pricing">
        Pricing
      </Link>{' '}
      <Link id="post" href="/blog/hello">
        Post
      </Link>{' '}
      <Link id="slow" href="/slow" prefetch={false}>
        Slow
      </Link>{' '}
      <button id="capture" onClick={() => capture('button pressed')}>
        Capture an event
      </button>
    </nav>
  )
}

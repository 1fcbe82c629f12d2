import { useState } from 'react'
import { TrailmarkErrorBoundary, useCapture, useFeatureFlagVariantKey } from 'trailmark/react'
import { Link, usePath } from './router'

const Broken = (): never => {
  throw new Error('Broken on purpose')
}

const Home = () => {
  const checkout = useFeatureFlagVariantKey('new-checkout', 'none')
  const [isBroken, setBroken] = useState(false)
  return (
    <>
      <title>Home</title>
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

const Page = ({ title }: { title: string }) => (
  <>
    <title>{title}</title>
    <h1>{title}</h1>
  </>
)

export const App = () => {
  const path = usePath()
  const capture = useCapture()
  return (
    <>
      <nav>
        <Link id="home" to="/" /> <Link id="pricing" to="/pricing" /> <Link id="post" to="/blog/hello" />
      </nav>
      <main>
        {path === '/' && <Home />}
        {path === '/pricing' && <Page title="Pricing" />}
        {path.startsWith('/blog/') && <Page title={`Post ${path.slice(6)}`} />}
      </main>
      <button id="capture" onClick={() => capture('button pressed', { place: path })}>
        Capture an event
      </button>
    </>
  )
}

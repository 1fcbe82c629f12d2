import type { ReactNode } from 'react'
import { Link, Links, type LoaderFunctionArgs, Meta, Outlet, Scripts, useLoaderData } from 'react-router'
import { TrailmarkProvider, useCapture } from 'trailmark/react-router'
import { getBootstrap } from 'trailmark/react-router/server'
import { host, options, token } from './trailmark'

export const loader = ({ request }: LoaderFunctionArgs) => getBootstrap({ token, host }, request)

// The visitor's flags stay those of the first load: the SDK keeps them up to date.
export const shouldRevalidate = () => false

export const Layout = ({ children }: { children: ReactNode }) => (
  <html lang="en">
    <head>
      <meta charSet="utf-8" />
      <link rel="icon" href="data:," />
      <Meta />
      <Links />
    </head>
    <body>
      {children}
      <Scripts />
    </body>
  </html>
)

const Navigation = () => {
  const capture = useCapture()
  return (
    <nav>
      <Link id="home" to="/">
        Home
      </Link>{' '}
      <Link id="pricing" to="/pricing">
        Pricing
      </Link>{' '}
      <Link id="post" to="/blog/hello">
        Post
      </Link>{' '}
      <Link id="slow" to="/slow">
        Slow
      </Link>{' '}
      <button id="capture" onClick={() => capture('button pressed')}>
        Capture an event
      </button>
    </nav>
  )
}

export default function Root() {
  const bootstrap = useLoaderData<typeof loader>()
  return (
    <TrailmarkProvider token={token} options={options} bootstrap={bootstrap}>
      <Navigation />
      <main>
        <Outlet />
      </main>
    </TrailmarkProvider>
  )
}

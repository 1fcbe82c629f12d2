import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { cookies } from 'next/headers'
import { TrailmarkProvider } from 'trailmark/next'
import { getBootstrap } from 'trailmark/next/server'
import { host, options, token } from '../lib/trailmark'
import { Navigation } from './navigation'

export const metadata: Metadata = { icons: 'data:,' }

export default async function Layout({ children }: { children: ReactNode }) {
  const bootstrap = await getBootstrap({ token, host }, await cookies())
  return (
    <html lang="en">
      <body>
        <TrailmarkProvider token={token} options={options} bootstrap={bootstrap}>
          <Navigation />
          <main>{children}</main>
        </TrailmarkProvider>
      </body>
    </html>
  )
}

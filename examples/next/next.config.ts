import type { NextConfig } from 'next'

const config: NextConfig = {
  // The SDK's requests end in a slash. Without this, Next redirects them.
  skipTrailingSlashRedirect: true,
  allowedDevOrigins: ['127.0.0.1'],
}

export default config

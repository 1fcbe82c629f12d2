/** The project that a snippet is for. */
export interface Site {
  readonly token: string
  /** URL of the service, without a trailing slash. */
  readonly url: string
}

interface ServedSite extends Site {
  /** Whether the service has the package of the SDK. */
  readonly hasPackage: boolean
}

interface Block {
  /** What to do with the text. */
  readonly title: string
  readonly text: string
}

export interface Framework {
  readonly name: string
  readonly label: string
  readonly blocks: (site: ServedSite) => readonly Block[]
}

/** Returns the URL of the SDK's package, which the full build puts beside the scripts. */
const packageUrl = (url: string): string => `${url}/static/trailmark-${__VERSION__}.tgz`

const install = ({ url, hasPackage }: ServedSite): Block =>
  hasPackage
    ? { title: 'Install the package from this service', text: `npm install ${packageUrl(url)}` }
    : { title: 'Build the package where the service runs, then reload this page', text: 'npm run build' }

const init = ({ token, url }: Site): string =>
  `analytics.init('${token}', { api_host: '${url}', defaults: '2026-01-30' })`

/** Returns the script tag for the <head> of a page. */
export const scriptTagFor = ({ token, url }: Site, tag: string): string =>
  tag.replace('{token}', () => token).replace('{url}', () => url)

const curl = ({ token, url }: Site, event: string, more = ''): string =>
  `curl ${url}/batch/ -H 'Content-Type: application/json' -d '{
  "api_key": "${token}",
  "batch": [{ "event": "${event}", "distinct_id": "ada"${more} }]
}'`

/** How to add Trailmark to a site, by framework. */
export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'script',
    label: 'Script tag',
    blocks: (site) => [
      { title: 'Paste this into the <head> of each page', text: scriptTagFor(site, __SHORT_TAG__) },
      {
        title: 'Or this, to set options or to call analytics before the script has loaded',
        text: scriptTagFor(site, __SCRIPT_TAG__),
      },
    ],
  },
  {
    name: 'npm',
    label: 'npm',
    blocks: (site) => [
      install(site),
      {
        title: 'Run this once, where your page starts',
        text: `import { analytics } from 'trailmark'\n\n${init(site)}`,
      },
    ],
  },
  {
    name: 'react',
    label: 'React',
    blocks: (site) => [
      install(site),
      {
        title: 'src/main.tsx, before the page is rendered',
        text: `import { analytics } from 'trailmark'
import { createRoot } from 'react-dom/client'
import { App } from './App'

${init(site)}
createRoot(document.getElementById('root')!).render(<App />)`,
      },
    ],
  },
  {
    name: 'vue',
    label: 'Vue',
    blocks: (site) => [
      install(site),
      {
        title: 'src/main.ts, before the app is mounted',
        text: `import { analytics } from 'trailmark'
import { createApp } from 'vue'
import App from './App.vue'

${init(site)}
createApp(App).mount('#app')`,
      },
    ],
  },
  {
    name: 'next',
    label: 'Next.js',
    blocks: (site) => [
      install(site),
      {
        title: 'instrumentation-client.ts, beside the app folder (Next.js 15.3 or newer)',
        text: `import { analytics } from 'trailmark'\n\n${init(site)}`,
      },
    ],
  },
  {
    name: 'backend',
    label: 'Backend',
    blocks: (site) => [
      {
        title: 'Send events from a server, in any language',
        text: curl(site, 'invoice paid', ',\n    "properties": { "amount": 42 }'),
      },
    ],
  },
]

/** A setup step that is done in the page's code. */
export const CODE = {
  event: `analytics.capture('signed up', { plan: 'free' })`,
  identify: `analytics.identify('ada@example.com', { plan: 'free' })`,
  flag: `if (analytics.isFeatureEnabled('new-checkout')) {
  // show the new checkout
}`,
} as const

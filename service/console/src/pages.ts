import type { ComponentType } from 'preact'
import type { PageProps } from './lib/pageProps.ts'
import type { IconName } from './ui/icon.tsx'

export interface Page {
  /** Path below the project's, with parameters such as `:id`. */
  readonly path: string
  /** Group of the navigation. Absent: the page has no entry there. */
  readonly group?: (typeof GROUPS)[number]
  readonly title: string
  readonly icon: IconName
  readonly load: () => Promise<ComponentType<PageProps>>
}

/** Groups of the navigation, in order. */
export const GROUPS = ['Web', 'Product', 'Data', 'Project'] as const

/** All pages of a project. Each is a separate chunk. */
export const PAGES: readonly Page[] = [
  {
    path: 'overview',
    group: 'Web',
    title: 'Overview',
    icon: 'overview',
    load: async () => (await import('./pages/overview/overviewPage.tsx')).OverviewPage,
  },
  {
    path: 'live',
    group: 'Web',
    title: 'Live',
    icon: 'live',
    load: async () => (await import('./pages/live/livePage.tsx')).LivePage,
  },
  {
    path: 'vitals',
    group: 'Web',
    title: 'Web vitals',
    icon: 'vitals',
    load: async () => (await import('./pages/vitals/vitalsPage.tsx')).VitalsPage,
  },
  {
    path: 'heatmaps',
    group: 'Web',
    title: 'Heatmaps',
    icon: 'heatmaps',
    load: async () => (await import('./pages/heatmaps/heatmapsPage.tsx')).HeatmapsPage,
  },
  {
    path: 'events',
    group: 'Product',
    title: 'Events',
    icon: 'events',
    load: async () => (await import('./pages/events/eventsPage.tsx')).EventsPage,
  },
  {
    path: 'people',
    group: 'Product',
    title: 'People',
    icon: 'people',
    load: async () => (await import('./pages/people/peoplePage.tsx')).PeoplePage,
  },
  {
    path: 'people/:id',
    title: 'Person',
    icon: 'people',
    load: async () => (await import('./pages/people/personPage.tsx')).PersonPage,
  },
  {
    path: 'recordings',
    group: 'Product',
    title: 'Recordings',
    icon: 'recordings',
    load: async () => (await import('./pages/recordings/recordingsPage.tsx')).RecordingsPage,
  },
  {
    path: 'recordings/:sessionId',
    title: 'Recording',
    icon: 'recordings',
    load: async () => (await import('./pages/recordings/recordingPage.tsx')).RecordingPage,
  },
  {
    path: 'insights',
    group: 'Product',
    title: 'Insights',
    icon: 'insights',
    load: async () => (await import('./pages/insights/insightsPage.tsx')).InsightsPage,
  },
  {
    path: 'insights/sql',
    title: 'SQL',
    icon: 'insights',
    load: async () => (await import('./pages/sql/sqlPage.tsx')).SqlPage,
  },
  {
    path: 'errors',
    group: 'Web',
    title: 'Errors',
    icon: 'warning',
    load: async () => (await import('./pages/errors/errorsPage.tsx')).ErrorsPage,
  },
  {
    path: 'errors/:id',
    title: 'Error',
    icon: 'warning',
    load: async () => (await import('./pages/errors/issuePage.tsx')).IssuePage,
  },
  {
    path: 'surveys',
    group: 'Product',
    title: 'Surveys',
    icon: 'surveys',
    load: async () => (await import('./pages/surveys/surveysPage.tsx')).SurveysPage,
  },
  {
    path: 'surveys/:id',
    title: 'Survey',
    icon: 'surveys',
    load: async () => (await import('./pages/surveys/surveyPage.tsx')).SurveyPage,
  },
  {
    path: 'endpoints',
    group: 'Data',
    title: 'Endpoints',
    icon: 'endpoints',
    load: async () => (await import('./pages/endpoints/endpointsPage.tsx')).EndpointsPage,
  },
  {
    path: 'endpoints/:name',
    title: 'Endpoint',
    icon: 'endpoints',
    load: async () => (await import('./pages/endpoints/endpointPage.tsx')).EndpointPage,
  },
  {
    path: 'dashboards',
    group: 'Product',
    title: 'Dashboards',
    icon: 'dashboards',
    load: async () => (await import('./pages/dashboards/dashboardsPage.tsx')).DashboardsPage,
  },
  {
    path: 'dashboards/:id',
    title: 'Dashboard',
    icon: 'dashboards',
    load: async () => (await import('./pages/dashboards/dashboardPage.tsx')).DashboardPage,
  },
  {
    path: 'flags',
    group: 'Data',
    title: 'Flags',
    icon: 'flags',
    load: async () => (await import('./pages/flags/flagsPage.tsx')).FlagsPage,
  },
  {
    path: 'flags/:id',
    title: 'Flag',
    icon: 'flags',
    load: async () => (await import('./pages/flags/flagPage.tsx')).FlagPage,
  },
  {
    path: 'setup',
    group: 'Project',
    title: 'Setup',
    icon: 'setup',
    load: async () => (await import('./pages/setup/setupPage.tsx')).SetupPage,
  },
  {
    path: 'settings',
    group: 'Project',
    title: 'Settings',
    icon: 'settings',
    load: async () => (await import('./pages/settings/settingsPage.tsx')).SettingsPage,
  },
]

export interface Found {
  readonly page: Page
  readonly params: Readonly<Record<string, string>>
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const match = (pattern: string, path: string): Record<string, string> | undefined => {
  const wanted = pattern.split('/')
  const parts = path.split('/')
  if (wanted.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, each] of wanted.entries()) {
    const part = parts[index]!
    if (each.startsWith(':')) params[each.slice(1)] = decode(part)
    else if (each !== part) return undefined
  }
  return params
}

/** Finds the page of a path below the project's. Pages without parameters come first. */
export const findPage = (path: string): Found | undefined => {
  for (const page of [...PAGES].sort((a, b) => a.path.split(':').length - b.path.split(':').length)) {
    const params = match(page.path, path)
    if (params) return { page, params }
  }
  return undefined
}

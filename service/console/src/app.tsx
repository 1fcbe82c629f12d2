import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from './api/client.ts'
import { hasExpired } from './api/session.ts'
import { loadCode } from './lib/loadCode.ts'
import { useLoad } from './lib/useLoad.ts'
import type { PageProps } from './lib/pageProps.ts'
import { findPage, type Page } from './pages.ts'
import { hasEvents, useSetup } from './lib/useSetup.ts'
import { type Project, projectChanges, ProjectProvider, useProject } from './project.ts'
import { linkTo, navigate, path, search } from './router.ts'
import { Shell } from './shell.tsx'
import { IS_FROM_LINK, SignIn, SignInAgain, tokenOfLink } from './signIn.tsx'
import { PageHead } from './ui/pageHead.tsx'
import { Empty, Failed, Skeleton } from './ui/states.tsx'
import { Toasts } from './ui/toast.tsx'
import { Boundary, DiscardStored } from './ui/boundary.tsx'

const loadSession = async () => {
  const { data, response, error } = await api.GET('/api/console/session')
  return response.status === 401 ? null : dataOf(Promise.resolve({ data, response, error }))
}

/** The console: signs in, finds the project of the path and shows its page. */
export const App = () => {
  const hasLink = tokenOfLink.value !== undefined
  const session = useLoad(hasLink ? undefined : 'session', loadSession)
  if (session.data === undefined && session.error)
    return (
      <main class="sign-in">
        <div class="sign-in-card">
          <h1>Trailmark</h1>
          <Failed error={session.error} onRetry={() => session.reload()} />
        </div>
      </main>
    )
  const isUnknown = session.data === undefined
  // Also while the session of a link loads: the page of the sign-in has the reason if the link did not work.
  if (session.data === null || (isUnknown && IS_FROM_LINK))
    return <SignIn isBusy={isUnknown && session.isLoading} onSignedIn={() => session.reload()} />
  if (session.data === undefined) return null
  return (
    <>
      <SignedIn keyLabel={session.data.key.label} />
      {hasExpired.value && <SignInAgain />}
      <Toasts />
    </>
  )
}

const SignedIn = ({ keyLabel }: { readonly keyLabel: string }) => {
  const projects = useLoad('projects', async ({ signal }) => {
    const { results } = await dataOf(api.GET('/api/projects', { signal }))
    return results.map(({ id, name, api_token: token, timezone }): Project => ({ id, name, token, timezone }))
  })
  const changes = projectChanges.value
  useEffect(() => {
    if (changes > 0) projects.reload()
  }, [changes])
  if (!projects.data)
    return projects.error ? (
      <main class="main">
        <Failed error={projects.error} onRetry={() => projects.reload()} />
      </main>
    ) : null
  return <InProject projects={projects.data} keyLabel={keyLabel} />
}

const InProject = ({ projects, keyLabel }: { readonly projects: readonly Project[]; readonly keyLabel: string }) => {
  const [, id, ...rest] = path.value.split('/')
  const project = projects.find((each) => String(each.id) === id)
  const first = projects[0]
  const isHome = path.value === '' || (project && rest.length === 0)
  const isShort = !project && !path.value.startsWith('projects')

  if (!first)
    return (
      <main class="main">
        <Empty title="No project">
          <p>
            This key has no access to a project. Sign in with another key, or create a project with “trailmark project
            create”.
          </p>
        </Empty>
      </main>
    )
  if (isHome)
    return (
      <ProjectProvider value={project ?? first}>
        <Home />
      </ProjectProvider>
    )
  if (isShort) return <InFirstProject id={first.id} />
  const found = project && findPage(rest.join('/'))
  return (
    <ProjectProvider value={project ?? first}>
      <Shell projects={projects} keyLabel={keyLabel} current={found?.page.path}>
        {found ? <PageOf key={path.value} page={found.page} params={found.params} /> : <NotFound />}
      </Shell>
    </ProjectProvider>
  )
}

/** Redirects a path without a project, such as `settings`, to that page of the first project. */
const InFirstProject = ({ id }: { readonly id: number }) => {
  useEffect(() => navigate(linkTo(`projects/${id}/${path.value}`, [...search.value]), { replace: true }), [id])
  return null
}

/** Shows the overview of a project, or its setup if it has no events yet. */
const Home = () => {
  const { id } = useProject()
  const { data, error } = useSetup()
  useEffect(() => {
    if (data ?? error)
      navigate(linkTo(`projects/${id}/${data && !hasEvents(data) ? 'setup' : 'overview'}`), { replace: true })
  }, [id, data, error])
  return null
}

const loaded = new Map<Page, ComponentType<PageProps>>()

/** Shows a page once its chunk is loaded. */
const PageOf = ({ page, params }: PageProps & { readonly page: Page }) => {
  const [, setCount] = useState(0)
  const [hasFailed, setFailed] = useState(false)
  const Component = loaded.get(page)
  useEffect(() => {
    if (Component) return
    let isShown = true
    loadCode(page.load, () => isShown).then(
      (component) => {
        loaded.set(page, component)
        setCount((count) => count + 1)
      },
      () => setFailed(true),
    )
    return () => {
      isShown = false
    }
  }, [page, Component])
  if (Component)
    return (
      <Boundary instead={(reason) => <BrokenPage title={page.title} reason={reason} />}>
        {() => <Component params={params} />}
      </Boundary>
    )
  if (hasFailed)
    return (
      <Empty title="This page could not be loaded">
        <p>The service may have been upgraded, or you are offline.</p>
        <button type="button" class="button" onClick={() => location.reload()}>
          Load again
        </button>
      </Empty>
    )
  return (
    <>
      <PageHead title={page.title} />
      <Skeleton height={16} />
    </>
  )
}

const BrokenPage = ({ title, reason }: { readonly title: string; readonly reason: string }) => (
  <>
    <PageHead title={title} />
    <Empty title="This page could not be shown">
      <p>{reason}</p>
      <div class="row">
        <button type="button" class="button" onClick={() => location.reload()}>
          Load again
        </button>
        <DiscardStored />
      </div>
    </Empty>
  </>
)

const NotFound = () => (
  <>
    <PageHead title="Not found" />
    <Empty title="There is no page at this URL">
      <a class="button" href={linkTo('')}>
        Go to the overview
      </a>
    </Empty>
  </>
)

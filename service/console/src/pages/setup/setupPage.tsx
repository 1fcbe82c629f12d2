import { SERVICE_URL } from '../../api/client.ts'
import { type Setup, useSetup } from '../../lib/useSetup.ts'
import { useLink, useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { Code } from '../../ui/copy.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { Load, Skeleton } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { LastRejection } from './lastRejection.tsx'
import styles from './setupPage.module.css'
import { CODE, FRAMEWORKS } from './snippets.ts'
import { Step } from './step.tsx'

/** The checklist of a new project. Each item is checked off when its first event arrives. */
export const SetupPage = () => {
  const setup = useSetup({ isPolled: true })
  return (
    <>
      <PageHead title="Setup" about="Each step is checked off as soon as its first event arrives." />
      {/* Shown as it is while it is polled: dimming it every two seconds would flicker. */}
      <Load of={{ ...setup, isLoading: setup.isLoading && !setup.data }} skeleton={<Skeleton height={20} />}>
        {(data) => <Checklist setup={data} />}
      </Load>
    </>
  )
}

const TIMES = ['first_pageview_at', 'first_custom_event_at', 'first_identify_at', 'first_flag_evaluation_at'] as const

const Checklist = ({ setup }: { readonly setup: Setup }) => {
  const link = useLink()
  const done = TIMES.filter((name) => setup[name] !== null).length
  return (
    <div class="stack">
      <p role="status" class={done === TIMES.length ? 'notice good' : 'visually-hidden'}>
        {done === TIMES.length ? (
          <span>
            Everything is set up. Go to the <a href={link('overview')}>overview</a>.
          </span>
        ) : (
          `${done} of ${TIMES.length} steps are done.`
        )}
      </p>
      {!setup.first_pageview_at && <LastRejection />}
      <ol class={styles.steps}>
        <Step
          number={1}
          title="First pageview"
          about="Add Trailmark to your site, and open a page of it in a browser."
          doneAt={setup.first_pageview_at}
        >
          <Frameworks />
        </Step>
        <Step
          number={2}
          title="First event of your own"
          about="Capture what matters to you, such as a sign-up or a purchase, with properties to filter by."
          doneAt={setup.first_custom_event_at}
        >
          <Code label="Code that captures an event" text={CODE.event} />
        </Step>
        <Step
          number={3}
          title="First identified person"
          about="Identify people when they sign in. Their visits before, and on other devices, become theirs."
          doneAt={setup.first_identify_at}
        >
          <Code label="Code that identifies a person" text={CODE.identify} />
        </Step>
        <Step
          number={4}
          title="First feature flag"
          about="Create a flag, and read it in your code. You can then turn the feature on for some people, or for all."
          doneAt={setup.first_flag_evaluation_at}
        >
          <Code label="Code that reads a feature flag" text={CODE.flag}>
            <a class="button" href={link('flags/new')}>
              Create a flag
            </a>
          </Code>
        </Step>
      </ol>
    </div>
  )
}

/** The ways to add Trailmark to a site. The chosen one is in the URL. */
const Frameworks = () => {
  const { token } = useProject()
  // The service says it in the page.
  const hasPackage = !document.querySelector('meta[name="trailmark-package"][content="missing"]')
  const current = FRAMEWORKS.find(({ name }) => name === search.value.get('framework')) ?? FRAMEWORKS[0]!
  return (
    <Tabs
      label="Frameworks"
      tabs={FRAMEWORKS}
      current={current.name}
      onChange={(name) => setSearch({ framework: name === FRAMEWORKS[0]!.name ? undefined : name })}
    >
      <div class="stack">
        {current.blocks({ token, url: SERVICE_URL, hasPackage }).map(({ title, text }) => (
          <div key={title} class="stack" style={{ gap: '0.4rem' }}>
            <h3>{title}</h3>
            <Code label={title} text={text} wraps />
          </div>
        ))}
      </div>
    </Tabs>
  )
}

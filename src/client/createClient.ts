import { hasPage } from '../browser/page'
import type { OptionMembers } from '../config/options'
import { addMembers, changeConfig, type OptionRules, type UserConfig } from '../config/settings'
import type { LoadDatabase } from '../delivery/outbox'
import type { LoadExtension } from '../extensions/contract'
import { later } from '../lib/guard'
import type { Log } from '../lib/log'
import type { OddRequests } from '../lib/oddRequests'
import { oncePerTask } from '../lib/oncePerTask'
import type { Config } from '../types'
import { createCallMethod } from './callMethod'
import type { Calls } from './calls'
import { createCapture } from './capture'
import { consentStatus, sessionApi, superProperties } from './clientApi'
import { connectDelivery } from './connectDelivery'
import { createContext } from './createContext'
import { type Connection, createEmit, type Feature, type Runner } from './feature'
import type { Ledger } from './ledger'
import type { Missing } from './missingParts'
import { type Provided, providedBy, remoteRowsOf } from './provided'
import { startPageLifecycle } from './pageLifecycle'
import { createPerson } from './people/people'
import type { Api, CoreApi } from './publicApi'

export interface ClientInputs {
  features: readonly Feature[]
  standIns?: Partial<Provided> | undefined
  rules: OptionRules
  load: LoadExtension
  token: string
  config: Config
  /** The options that the site passed itself. */
  userConfig: UserConfig
  log: Log
  /** Records every event that goes into the queue, is delivered, or is dropped. */
  ledger: Ledger
  /** The calls that wait. */
  calls: Calls
  /** Returns the import that a method needs and lacks. */
  missing: Missing
  /** Called when the client was shut down. */
  onEnd(): void
}

const nothing = () => {}
/** In builds without a feature that runs something. */
const NOTHING_RUNS: Runner = { align: nothing, leave: nothing, stop: nothing }

/** Creates a running client for one project and connects its parts. */
export const createClient = ({
  features,
  standIns,
  rules,
  load,
  token,
  config,
  userConfig,
  log,
  ledger,
  calls,
  missing,
  onEnd,
}: ClientInputs) => {
  const provided = providedBy(features, standIns)
  const context = createContext(config, token, log, provided, remoteRowsOf(features), (inputs) =>
    provided.createOutbox(inputs, () => load('database') as unknown as ReturnType<LoadDatabase>),
  )
  const { consent, identity, isOptedOut, remote, session, store, tabStore } = context

  const delivery = connectDelivery(context, ledger, () => load('requests') as unknown as Promise<OddRequests>)
  const { outbox, queue } = delivery

  const connections: Connection[] = []
  const emit = createEmit(connections)
  const events = createCapture(context, ledger, queue, connections, emit, calls.early, () => readShared())
  const { capture, captureLater, moment, captureDelayed } = events
  const api: Partial<Api> = {}
  const call = createCallMethod({ features, connections, api, log, missing })
  const person = createPerson(context, emit)
  const configure = (changes: object) => {
    if (changeConfig(config, changes, log, rules, userConfig)) align()
  }
  const client = {
    context,
    delivery,
    ledger,
    capture,
    captureLater,
    moment,
    captureDelayed,
    configure,
    options: rules.rows,
    defineMembers: (members: OptionMembers) => configure(addMembers(rules, members, userConfig)),
    calls,
    connections,
    call,
    api: () => api,
    mayProcess: person.mayProcess,
    forgetVisit: person.forgetVisit,
    emit,
    align: () => align(),
  }
  for (const feature of features) connections.push(feature.connect?.(client) ?? {})
  connections.push({ onReset: () => align() })

  // Features watch the page. Without a page there is nothing to run.
  const { runFeatures = () => NOTHING_RUNS } = features.find((each) => each.runFeatures) ?? {}
  const running: Runner = runFeatures(
    client,
    load,
    () => hasPage() && !isOptedOut(),
    connections.flatMap(({ runs = [] }) => runs),
  )
  delivery.onGzipNeeded(running.align)
  remote.onChange(running.align)
  remote.onChange(calls.replay)
  let sharedTimer: ReturnType<typeof setTimeout> | undefined
  context.onNextPerson(() => {
    captureDelayed()
    running.leave(true)
    sharedTimer = later(() => readShared())
  })

  const dropWaiting = () => {
    queue.clear('opted_out')
    emit((each) => each.onDenial?.())
  }
  let decision = consent.explicit()
  /** Applies the current configuration and consent everywhere. */
  const align = () => {
    decision = consent.explicit()
    context.align()
    session.claim()
    outbox.align()
    running.align()
    emit((each) => each.onAlign?.())
    calls.replay()
  }
  /** Applies what another tab or the page has changed in the browser's storage: consent, a reset, ids, the session. */
  const readShared = () => {
    consent.keep()
    if (consent.explicit() !== decision) {
      // A denial in another tab also drops events that wait in this one.
      if (consent.explicit() === 'denied') dropWaiting()
      align()
    }
    person.applyReset()
  }
  const stopLifecycle = startPageLifecycle(context, delivery, emit, readShared, captureDelayed, running.leave)

  const coreApi: CoreApi = {
    // Hides the fourth parameter, which is internal.
    capture: (event, properties, options) => capture(event, properties, options),
    calculateEventProperties: events.calculateEventProperties,
    reset: person.reset,
    ...superProperties(context),
    ...sessionApi(context),
    ...consentStatus(context),
    set_config: configure,
    debug: (on) => {
      config.debug = on !== false
    },
    flush: queue.flush,
    shutdown: async () => {
      running.stop()
      clearTimeout(sharedTimer)
      emit((each) => each.onEnd?.())
      stopLifecycle()
      queue.onPageLeave()
      queue.stop()
      store.stop()
      tabStore.stop()
      onEnd()
    },
  }
  Object.assign(api, coreApi, ...connections.map((each) => each.api))
  const look = oncePerTask(readShared)
  return {
    call,
    api,
    /** Runs before each call of the page: captures waiting events, and applies changes from other tabs. */
    beforeCall: () => {
      captureDelayed()
      look()
    },
    hasFlags: () => connections.some((each) => each.hasFlags?.()),
    /** Starts everything that runs without a call, once all parts exist. */
    start: () => {
      const { distinctID, isIdentifiedID } = config.bootstrap
      if (distinctID && isIdentifiedID && !identity.isIdentified()) api.identify?.(distinctID)
      align()
      queue.adoptOrphans()
      emit((each) => each.onStart?.())
    },
  }
}

export type Client = ReturnType<typeof createClient>

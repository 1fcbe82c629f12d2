/**
 * Names of members that scripts and modules share among themselves, the most frequent first. The build shortens
 * them. No name here may be public, stored, sent, built from text, or one of the browser's (test/scripts/internalNames.test.ts).
 */
export const INTERNAL_NAMES = `
  isOptedOut lastActiveAt startExtension isIdentified processesPerson isField isKept toProperties usesDatabase
  captureLater hasChanged isCookieless onDropped onRequestError tabStore claim heldUntil isOfPage isPast
  isSensitive leave living retryNow adoptReset fails hasFlags hasViewed mayKeep mayProcess merged onDelivered
  setAnonymousId settle textOf adoptOrphans endSession endWait expectOrphans fetchedAt initialPerson
  isBootstrapped isWritten journals maskAttributes maskText mayStore nextBatch onMalformed onOrphaned onPageHide
  onPageLeave outgoingUrl outlives permitted personSince useGzip uuidv7 abandon acceptsGzip acquireLeadership
  addOldest become beforeCall beginSession bootstrapped cancelUnsent captureIdentify claimOrphans crossSubdomain
  currentTab enableProfiles endLeadership forgetReported forgetTaken forgetVisit hasLoaded idleMs
  ignoredAttributes inOneWrite isAdopted isExcluded isOpen isOutboxKey isReported isSending isStale layersNow
  lead maxBatch mayCapture needsGzip onGzipNeeded onMissing onNextPerson onRetry onSwitch openSession prepare
  processPerson pump reloadingFlags removeRecords requestFlags rewrite userConfig wasEnded wanted runs outbox
  journal ledger typed fits hasFailed tabs fillers maxBytes prepareAfter isNew
  emit startedAt take isInClickTask onVisibilityChange onActivity importExtension provides readDevice createOutbox standIns anyMatches fields createAttribution withoutPage isSent withoutSensitive storageOf peek defineMembers exists isPaused safeText onPageRestored createQueue amend apiHost pathOf checkPath describeEvent maskingOf guarded besides
`
  .trim()
  .split(/\s+/)

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const SHORT = [...LETTERS, ...LETTERS.flatMap((first) => LETTERS.map((second) => first + second.toLowerCase()))]

/** Short names by long ones, the same for every script and module. */
export const SHORT_NAMES = new Map(INTERNAL_NAMES.map((name, index) => [name, SHORT[index]]))

/** Returns the minifier's options that shorten these names, and those that `more` matches. */
export const shortened = (more) => ({
  mangle: {
    properties: { regex: RegExp([`^(${INTERNAL_NAMES.join('|')})$`, ...(more ? [more.source] : [])].join('|')) },
  },
  // The form of the minifier's cache.
  nameCache: { props: { props: Object.fromEntries([...SHORT_NAMES].map(([name, short]) => [`$${name}`, short])) } },
})

/**
 * Names of members that scripts and modules share among themselves, the most frequent first. The build shortens
 * them. No name here may be public, stored, sent, built from text, or one of the browser's (test/scripts/internalNames.test.ts).
 */
export const INTERNAL_NAMES = `
  tabStore isOptedOut claim isPast lastActiveAt heldUntil isOfPage isField onDropped isCookieless leave guarded isKept
  toProperties living onRequestError isIdentified captureLater retryNow applyReset processesPerson usesDatabase
  hasChanged isSensitive hasFlags startExtension fails merged initialPerson fits onDelivered setAnonymousId hasViewed
  adoptOrphans fetchedAt isBootstrapped maskAttributes mayStore uuidv7 captureIdentify currentTab endLeadership
  prepare outbox take mayKeep mayProcess captureDelayed textOf isWritten journals maskText cancelUnsent endSession
  endWait onMalformed onOrphaned onPageHide permitted personSince useGzip abandon acceptsGzip acquireLeadership
  addOldest become beforeCall beginSession bootstrapped claimOrphans crossSubdomain enableProfiles inOneWrite
  isExcluded isOutboxKey onGzipNeeded onMissing onSwitch openSession prepareAfter isNew maskingOf
  expectOrphans onPageLeave outgoingUrl outlives forgetReported forgetTaken forgetVisit hasLoaded idleMs
  ignoredAttributes isOpen isReported isSending isStale layersNow lead maxBatch mayCapture needsGzip onNextPerson
  onRetry processPerson pump reloadingFlags requestFlags rewrite userConfig wasEnded wanted runs journal
  ledger typed hasFailed tabs fillers maxBytes emit isInClickTask onVisibilityChange onActivity importExtension
  provides fields isSent createQueue amend checkPath describeEvent startedAt readDevice createOutbox standIns
  anyMatches createAttribution withoutPage withoutSensitive storageOf peek defineMembers exists isPaused safeText
    onPageRestored pathOf besides methods alive taken giveUp anonymize createPermissions createRemoteConfig describe
    writeSome useDatabase adopt isOver onOpened mergeSets hasRoom runAt onWait onAlign onIdChange onReset onDenial onOptIn
    onGroup onCapture onPersonProperties onOnline onStart onEnd
`
  .trim()
  .split(/\s+/)

/** Names of members that only rrweb and the part of the recorder beside it have: `recorderPage.js` shortens them too. */
export const RECORDER_NAMES = `
  stylesheetManager shadowDomManager processedNodeManager styleMirror mutationCb bypassOptions nodeOptions needsMask
  preserveWhiteSpace cssCaptured newlyAddedElement skipChild skipsLight idNodeMap nodeMetaMap addedSet movedSet
  droppedSet removesSubTreeCache movedMap mapRemoves attributeMap shadowDoms restoreHandlers adoptedStyleSheetCb
  genTextAreaValueMutation _unchangedStyles styleDiff mouseInteractionCb mediaInteractionCb viewportResizeCb
  mousemoveCb scrollCb inputCb fontCb styleSheetRuleCb styleDeclarationCb unattachedDoc patchAttachShadow
  observeAttachShadow processMutations processMutation emitChanges genAdds adoptStyleSheets adoptAll hasNode
  removeNodeFromMap unfreeze freezePage onSerialize onIframeLoad onStylesheetLoad attachLinkElement
  attachIframe addShadowRoot inOtherBuffer nodeMap patchedDocs createDraft takeFullSnapshot addCustomEvent getId
  getNode isMasked redact masksAllInputs maskSelector recordsSameOriginFrames forgetTyped typedKey hiderNow
  masksAttributes masksInput recordsFonts findsBlocked redactLink hideTypedInUrl sanitizeOne markUnnoticed isQueued
  wasRemoved isInShadow canBlock isLimited isUnlimited isPausing snapshotSoon stopRrweb startSoon onForgotten
  onShadowRoot onChanges onReturn onIdle limiter onStop typedFields
`
  .trim()
  .split(/\s+/)

// Lower case, and with few first letters: the letters that are frequent in minified code compress best. Without names of
// elements, of the browser and of the protocol, and words.
const TAKEN = new Set(
  'as at cx cy el ex ey gt id is lt of ok on ph to vh vw gi eu us im up td th js br dd dl dt em hr li ol rp rt tr tt ul mi mn mo ms by dx dy fx fy in rx ry pv en do if or no go my me be he we so an am ad tv pc ie os ui vr ar ml cm mm pt px fr ch rh rc ic lh cb cp cs ct ev nl ws xr uv ns fn np db io ip it sr'.split(
    ' ',
  ),
)
const LETTERS = [...'etriosanlcdupmhgfbvywkxqzj']
const FIRST = [...new Set(['e', 't', 'o', ...LETTERS])]
const SHORT = FIRST.flatMap((first) => LETTERS.map((second) => first + second)).filter((name) => !TAKEN.has(name))

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

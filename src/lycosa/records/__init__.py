"""The records that travel between the parts of a crawl: small, frozen, without behaviour.

A worker sends a request and gets an answer. The links of the answer travel as messages to the
partitions that own them. The owner's decisions are events in its log. Numbers and the order of
fields are part of stored formats: they never change, and new fields come last, with a default.

    outcomes   ends of a fetch: kept, moved, missing, refused, failed
    exchange   requests, answers, and captures for the store
    links      kinds of links, before and after they are resolved
    codes      small numbers that events carry
    messages   entries of inboxes, sent between partitions
    events     decisions in a partition's log
    handover   events of partitions that pass from owner to owner
    batons     messages and events by which partitions take turns at hosts (tokens)
    topics     messages and events about the topics of pages
    control    the event of an order that was applied
    rendering  events and messages about pages that are rendered
    suspicion  the message and the event about a process that died

Everything is imported from here: `from lycosa.records import Outcome, Request`.
"""

from lycosa.links import NO_LINKS as NO_LINKS
from lycosa.links import Links as Links
from lycosa.links import Target as Target
from lycosa.records.batons import BatonCame as BatonCame
from lycosa.records.batons import BatonDue as BatonDue
from lycosa.records.batons import BatonPassed as BatonPassed
from lycosa.records.batons import BatonQueued as BatonQueued
from lycosa.records.batons import BatonTaken as BatonTaken
from lycosa.records.batons import BatonWanted as BatonWanted
from lycosa.records.batons import HostReport as HostReport
from lycosa.records.batons import SiteReport as SiteReport
from lycosa.records.codes import BatonStep as BatonStep
from lycosa.records.codes import MiningRule as MiningRule
from lycosa.records.codes import RobotsState as RobotsState
from lycosa.records.codes import Sight as Sight
from lycosa.records.codes import Worth as Worth
from lycosa.records.control import OrderApplied as OrderApplied
from lycosa.records.events import Admitted as Admitted
from lycosa.records.events import AnyEvent as AnyEvent
from lycosa.records.events import BidTaken as BidTaken
from lycosa.records.events import Configured as Configured
from lycosa.records.events import Counted as Counted
from lycosa.records.events import CycleBegun as CycleBegun
from lycosa.records.events import CycleWanted as CycleWanted
from lycosa.records.events import ErrandDone as ErrandDone
from lycosa.records.events import ErrandTaken as ErrandTaken
from lycosa.records.events import Event as Event
from lycosa.records.events import Fetched as Fetched
from lycosa.records.events import Forgotten as Forgotten
from lycosa.records.events import GuessJudged as GuessJudged
from lycosa.records.events import HostChanged as HostChanged
from lycosa.records.events import HostResolved as HostResolved
from lycosa.records.events import InboxRead as InboxRead
from lycosa.records.events import Mined as Mined
from lycosa.records.events import MinedOut as MinedOut
from lycosa.records.events import MirrorFound as MirrorFound
from lycosa.records.events import Passed as Passed
from lycosa.records.events import ProbeChosen as ProbeChosen
from lycosa.records.events import RecordsLost as RecordsLost
from lycosa.records.events import Reopened as Reopened
from lycosa.records.events import RobotsLearned as RobotsLearned
from lycosa.records.events import Sampled as Sampled
from lycosa.records.events import Settled as Settled
from lycosa.records.events import SiteChanged as SiteChanged
from lycosa.records.events import SitemapTried as SitemapTried
from lycosa.records.events import SiteProbed as SiteProbed
from lycosa.records.events import Taken as Taken
from lycosa.records.events import Visited as Visited
from lycosa.records.events import Waited as Waited
from lycosa.records.events import Weighed as Weighed
from lycosa.records.exchange import Answer as Answer
from lycosa.records.exchange import Capture as Capture
from lycosa.records.exchange import Place as Place
from lycosa.records.exchange import Purpose as Purpose
from lycosa.records.exchange import Request as Request
from lycosa.records.exchange import Resolved as Resolved
from lycosa.records.exchange import Validators as Validators
from lycosa.records.handover import LinksOwed as LinksOwed
from lycosa.records.handover import Moved as Moved
from lycosa.records.handover import Released as Released
from lycosa.records.links import FREE_KINDS as FREE_KINDS
from lycosa.records.links import RECORDED_KINDS as RECORDED_KINDS
from lycosa.records.links import REQUISITE_KINDS as REQUISITE_KINDS
from lycosa.records.links import SAME_PAGE_KINDS as SAME_PAGE_KINDS
from lycosa.records.links import WIDE_KINDS as WIDE_KINDS
from lycosa.records.links import KeyedLink as KeyedLink
from lycosa.records.links import Link as Link
from lycosa.records.links import LinkKind as LinkKind
from lycosa.records.messages import AnyMessage as AnyMessage
from lycosa.records.messages import BidMade as BidMade
from lycosa.records.messages import BidsWanted as BidsWanted
from lycosa.records.messages import CycleShare as CycleShare
from lycosa.records.messages import Discovered as Discovered
from lycosa.records.messages import LinksCounted as LinksCounted
from lycosa.records.messages import Message as Message
from lycosa.records.messages import RobotsFound as RobotsFound
from lycosa.records.messages import RobotsWanted as RobotsWanted
from lycosa.records.messages import SegmentsLost as SegmentsLost
from lycosa.records.outcomes import GIVEN_UP as GIVEN_UP
from lycosa.records.outcomes import NO_CONNECTION as NO_CONNECTION
from lycosa.records.outcomes import PROBED as PROBED
from lycosa.records.outcomes import REFUSALS as REFUSALS
from lycosa.records.outcomes import STAY_AWAY as STAY_AWAY
from lycosa.records.outcomes import STORED as STORED
from lycosa.records.outcomes import TRANSIENT as TRANSIENT
from lycosa.records.outcomes import TRAPS as TRAPS
from lycosa.records.outcomes import UNCOUNTED as UNCOUNTED
from lycosa.records.outcomes import Outcome as Outcome
from lycosa.records.outcomes import outcome_named as outcome_named
from lycosa.records.rendering import PartsFound as PartsFound
from lycosa.records.rendering import PartsNoted as PartsNoted
from lycosa.records.rendering import PartsWanted as PartsWanted
from lycosa.records.rendering import Rendered as Rendered
from lycosa.records.rendering import RenderQueued as RenderQueued
from lycosa.records.suspicion import ProcessDied as ProcessDied
from lycosa.records.suspicion import Suspected as Suspected
from lycosa.records.topics import BudgetAsked as BudgetAsked
from lycosa.records.topics import BudgetGiven as BudgetGiven
from lycosa.records.topics import BudgetShared as BudgetShared
from lycosa.records.topics import Classified as Classified
from lycosa.records.topics import Hinted as Hinted
from lycosa.records.topics import Predicted as Predicted

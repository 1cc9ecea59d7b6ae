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
    handover   events of partitions that pass from owner to owner, or to which an order was applied
    batons     messages and events by which partitions take turns at hosts (tokens)
    topics     messages and events about the topics of pages
    rendering  events and messages about pages that are rendered
    suspicion  the message and the event about a process that died

Everything is imported from here: `from lycosa.model.records import Outcome, Request`.
"""

from lycosa.model.links import NO_LINKS as NO_LINKS
from lycosa.model.links import Links as Links
from lycosa.model.links import Target as Target
from lycosa.model.records.batons import BatonCame as BatonCame
from lycosa.model.records.batons import BatonDue as BatonDue
from lycosa.model.records.batons import BatonPassed as BatonPassed
from lycosa.model.records.batons import BatonQueued as BatonQueued
from lycosa.model.records.batons import BatonTaken as BatonTaken
from lycosa.model.records.batons import BatonWanted as BatonWanted
from lycosa.model.records.batons import HostReport as HostReport
from lycosa.model.records.batons import SiteReport as SiteReport
from lycosa.model.records.codes import BatonStep as BatonStep
from lycosa.model.records.codes import MiningRule as MiningRule
from lycosa.model.records.codes import RobotsState as RobotsState
from lycosa.model.records.codes import Sight as Sight
from lycosa.model.records.codes import Worth as Worth
from lycosa.model.records.events import Admitted as Admitted
from lycosa.model.records.events import AnyEvent as AnyEvent
from lycosa.model.records.events import BidTaken as BidTaken
from lycosa.model.records.events import Configured as Configured
from lycosa.model.records.events import Counted as Counted
from lycosa.model.records.events import CycleBegun as CycleBegun
from lycosa.model.records.events import CycleWanted as CycleWanted
from lycosa.model.records.events import ErrandDone as ErrandDone
from lycosa.model.records.events import ErrandTaken as ErrandTaken
from lycosa.model.records.events import Event as Event
from lycosa.model.records.events import Fetched as Fetched
from lycosa.model.records.events import Forgotten as Forgotten
from lycosa.model.records.events import GuessJudged as GuessJudged
from lycosa.model.records.events import HostChanged as HostChanged
from lycosa.model.records.events import HostResolved as HostResolved
from lycosa.model.records.events import InboxRead as InboxRead
from lycosa.model.records.events import Mined as Mined
from lycosa.model.records.events import MinedOut as MinedOut
from lycosa.model.records.events import MirrorFound as MirrorFound
from lycosa.model.records.events import Passed as Passed
from lycosa.model.records.events import Posted as Posted
from lycosa.model.records.events import ProbeChosen as ProbeChosen
from lycosa.model.records.events import RecordsLost as RecordsLost
from lycosa.model.records.events import Reopened as Reopened
from lycosa.model.records.events import RobotsLearned as RobotsLearned
from lycosa.model.records.events import Sampled as Sampled
from lycosa.model.records.events import Settled as Settled
from lycosa.model.records.events import SiteChanged as SiteChanged
from lycosa.model.records.events import SitemapTried as SitemapTried
from lycosa.model.records.events import SiteProbed as SiteProbed
from lycosa.model.records.events import Taken as Taken
from lycosa.model.records.events import Visited as Visited
from lycosa.model.records.events import Waited as Waited
from lycosa.model.records.events import Weighed as Weighed
from lycosa.model.records.exchange import Answer as Answer
from lycosa.model.records.exchange import Capture as Capture
from lycosa.model.records.exchange import Item as Item
from lycosa.model.records.exchange import Place as Place
from lycosa.model.records.exchange import Purpose as Purpose
from lycosa.model.records.exchange import Request as Request
from lycosa.model.records.exchange import Resolved as Resolved
from lycosa.model.records.exchange import Validators as Validators
from lycosa.model.records.handover import LinksOwed as LinksOwed
from lycosa.model.records.handover import Moved as Moved
from lycosa.model.records.handover import OrderApplied as OrderApplied
from lycosa.model.records.handover import Released as Released
from lycosa.model.records.links import FREE_KINDS as FREE_KINDS
from lycosa.model.records.links import PAGINATED_KINDS as PAGINATED_KINDS
from lycosa.model.records.links import RECORDED_KINDS as RECORDED_KINDS
from lycosa.model.records.links import REQUISITE_KINDS as REQUISITE_KINDS
from lycosa.model.records.links import SAME_PAGE_KINDS as SAME_PAGE_KINDS
from lycosa.model.records.links import WIDE_KINDS as WIDE_KINDS
from lycosa.model.records.links import KeyedLink as KeyedLink
from lycosa.model.records.links import Link as Link
from lycosa.model.records.links import LinkKind as LinkKind
from lycosa.model.records.messages import AnyMessage as AnyMessage
from lycosa.model.records.messages import BidMade as BidMade
from lycosa.model.records.messages import BidsWanted as BidsWanted
from lycosa.model.records.messages import CycleShare as CycleShare
from lycosa.model.records.messages import Discovered as Discovered
from lycosa.model.records.messages import LinksCounted as LinksCounted
from lycosa.model.records.messages import Message as Message
from lycosa.model.records.messages import RobotsFound as RobotsFound
from lycosa.model.records.messages import RobotsWanted as RobotsWanted
from lycosa.model.records.messages import SegmentsLost as SegmentsLost
from lycosa.model.records.outcomes import GIVEN_UP as GIVEN_UP
from lycosa.model.records.outcomes import NO_CONNECTION as NO_CONNECTION
from lycosa.model.records.outcomes import PROBED as PROBED
from lycosa.model.records.outcomes import REFUSALS as REFUSALS
from lycosa.model.records.outcomes import STAY_AWAY as STAY_AWAY
from lycosa.model.records.outcomes import STORED as STORED
from lycosa.model.records.outcomes import TRANSIENT as TRANSIENT
from lycosa.model.records.outcomes import TRAPS as TRAPS
from lycosa.model.records.outcomes import UNCOUNTED as UNCOUNTED
from lycosa.model.records.outcomes import Outcome as Outcome
from lycosa.model.records.outcomes import outcome_named as outcome_named
from lycosa.model.records.rendering import PartsFound as PartsFound
from lycosa.model.records.rendering import PartsInRow as PartsInRow
from lycosa.model.records.rendering import PartsNoted as PartsNoted
from lycosa.model.records.rendering import PartsWanted as PartsWanted
from lycosa.model.records.rendering import Rendered as Rendered
from lycosa.model.records.rendering import RenderQueued as RenderQueued
from lycosa.model.records.suspicion import ProcessDied as ProcessDied
from lycosa.model.records.suspicion import Suspected as Suspected
from lycosa.model.records.topics import BudgetAsked as BudgetAsked
from lycosa.model.records.topics import BudgetGiven as BudgetGiven
from lycosa.model.records.topics import BudgetShared as BudgetShared
from lycosa.model.records.topics import Classified as Classified
from lycosa.model.records.topics import Hinted as Hinted
from lycosa.model.records.topics import Predicted as Predicted

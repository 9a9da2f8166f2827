// The checker of splicing.
//
// Control goes through the rewritten function as it did before, but for regions, where it may take the way over a call.
// So a use is right if it is of the same value as before, or, where that value is computed in a region and used
// elsewhere, of what holds it there: going back from the use on any way, the value itself is computed, or what the call
// stored is loaded, and whichever comes first is what is used. That is found by going forward through all blocks.

#include "llvm_splice_checker.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace polyrs;

namespace {

// What a PHI takes, by where control comes from.
using WaysOf = SmallDenseMap<const BasicBlock *, Value *>;

WaysOf waysOf(const PHINode &phi) {
  WaysOf ways;
  for (auto [from, value] : zip(phi.blocks(), phi.incoming_values()))
    ways.try_emplace(from, value);
  return ways;
}

// Whether a function may store to where a pointer points: what is made of the pointer is followed as far as it goes.
bool mayStoreTo(Value *pointer) {
  constexpr auto memory = MemoryEffects::Location::ArgMem;
  SmallPtrSet<Value *, 16> seen{pointer};
  SmallVector<Value *, 16> work{pointer};
  while (!work.empty()) {
    for (User *user : work.pop_back_val()->users()) {
      if (isa<StoreInst>(user))
        return true;
      // Not what is assumed of the pointer.
      if (const auto *call = dyn_cast<CallBase>(user);
          call && isModSet(call->getMemoryEffects().getModRef(memory)))
        return true;
      if (isa<GetElementPtrInst, InsertValueInst, ExtractValueInst, PHINode,
              SelectInst, CastInst>(user) &&
          seen.insert(user).second)
        work.push_back(user);
    }
  }
  return false;
}

} // namespace

SpliceChecker::SpliceChecker(Function &function, ArrayRef<SplicedRegion> regions)
    : function(function), regions(regions) {
  DominatorTree dominators(function);
  for (BasicBlock &block : function) {
    std::optional<size_t> inside;
    for (auto [number, region] : enumerate(regions))
      if (region.callee && dominators.dominates(region.first, &block) &&
          !dominators.dominates(region.exit, &block))
        inside = number;
    homes[&block] = inside;
    for (Instruction &instruction : block) {
      bool isMark = markedVariable(instruction);
      Record record{&instruction, &instruction, {}, {}, inside, &block, isMark};
      record.operands.append(instruction.op_begin(), instruction.op_end());
      if (const auto *phi = dyn_cast<PHINode>(&instruction))
        record.incoming.append(phi->block_begin(), phi->block_end());
      numbers[&instruction] = records.size();
      records.push_back(std::move(record));
    }
  }
  before = livesOf();
}

bool SpliceChecker::isReached(const BasicBlock *block) const {
  return reached.contains(block);
}

bool SpliceChecker::isNew(const Instruction *instruction) const {
  return !numbers.contains(instruction);
}

std::optional<size_t> SpliceChecker::regionOf(const Value *value) const {
  auto found = numbers.find(dyn_cast<Instruction>(value));
  return found == numbers.end() ? std::nullopt : records[found->second].region;
}

// Where a value is in a block behind what happens there: nothing happens to most values in most blocks.
Value *SpliceChecker::within(Instruction *value, BasicBlock *block,
                     const Places &ends) {
  if (records[numbers.lookup(value)].block == block)
    return value;
  const SplicedRegion &region = regions[*regionOf(value)];
  if (region.call && region.call->getParent() == block) {
    for (const Result &result : region.results)
      if (result.value == value)
        for (Instruction &after : make_range(
                 std::next(region.call->getIterator()), block->end()))
          if (auto *load = dyn_cast<LoadInst>(&after))
            if (load->getPointerOperand() == result.slot &&
                load->getType() == value->getType())
              return load;
    return nullptr;
  }
  // Null is that nobody knows; what is missing has not been seen yet.
  std::optional<Value *> known;
  bool differ = false;
  for (BasicBlock *from : predecessors(block)) {
    auto end = ends.find(from);
    if (!isReached(from) || end == ends.end())
      continue;
    differ |= known && *known != end->second;
    known = end->second;
  }
  for (PHINode &phi : block->phis()) {
    if (!isNew(&phi) || phi.getType() != value->getType())
      continue;
    WaysOf ways = waysOf(phi);
    bool fits = all_of(predecessors(block), [&](BasicBlock *from) {
      auto end = ends.find(from);
      return !isReached(from) || end == ends.end() ||
             (end->second && ways.lookup(from) == end->second);
    });
    if (fits)
      return &phi;
  }
  return known && !differ ? *known : nullptr;
}

const SpliceChecker::Places &SpliceChecker::placesOf(Instruction *value) {
  auto [found, isFirst] = places.try_emplace(value);
  if (!isFirst)
    return found->second;
  Places ends;
  ends[&function.getEntryBlock()] = nullptr;
  // Each change is of a block that was not seen, or to a value that fits better; more rounds than blocks are none.
  size_t rounds = function.size() + 2;
  for (bool changed = true; changed && rounds > 0; --rounds) {
    changed = false;
    for (BasicBlock *block : order) {
      if (block->isEntryBlock())
        continue;
      Value *now = within(value, block, ends);
      auto [end, added] = ends.try_emplace(block, now);
      changed |= added || end->second != now;
      end->second = now;
    }
  }
  if (rounds == 0)
    ends.clear();
  return places[value] = std::move(ends);
}

// Whether `now` is a PHI of ours that is `of` in any case.
bool SpliceChecker::isMerge(Value *now, Value *of) const {
  auto *phi = dyn_cast<PHINode>(now);
  return phi && isNew(phi) &&
         all_of(zip(phi->blocks(), phi->incoming_values()), [&](auto way) {
           return !isReached(std::get<0>(way)) || std::get<1>(way) == of;
         });
}

bool SpliceChecker::isSame(Value *now, Value *was, BasicBlock *place,
                   std::optional<size_t> user) {
  // Nothing happens to the value in a block that uses it, but before that: PHIs come first, and a call has a block of
  // its own.
  auto region = regionOf(was);
  if (!region || region == user)
    return now == was;
  if (!isReached(place))
    return true;
  auto *value = cast<Instruction>(was);
  const Places &ends = placesOf(value);
  Value *known = ends.lookup(place);
  return known && (now == known || isMerge(known, now));
}

const char *SpliceChecker::examinePhi(const Record &record, const PHINode &phi) {
  WaysOf ways = waysOf(phi);
  for (auto [was, from] : zip(record.operands, record.incoming)) {
    BasicBlock *by = from;
    for (const SplicedRegion &region : regions)
      if (region.call && region.first == record.block && region.entry == from)
        by = region.checkCall && !region.otherwise ? region.checkCall->getParent()
                                                   : nullptr;
    if (!by)
      continue;
    Value *now = ways.lookup(by);
    if (!now)
      return "a PHI lacks a way";
    // The use is one of the block that control comes from.
    if (!isSame(now, was, by, homes.lookup(from)))
      return "a PHI takes another value";
  }
  SmallPtrSet<const BasicBlock *, 8> known(record.incoming.begin(),
                                           record.incoming.end());
  for (BasicBlock *from : phi.blocks()) {
    bool isKnown = known.contains(from);
    for (const SplicedRegion &region : regions)
      isKnown |= region.checkCall && !region.otherwise &&
                 region.first == record.block &&
                 region.checkCall->getParent() == from;
    if (!isKnown)
      return "a PHI has a way too many";
  }
  return nullptr;
}

const char *SpliceChecker::examineRecord(const Record &record) {
  if (!record.handle)
    return record.isMark ? nullptr : "an instruction is gone";
  if (!isReached(record.block))
    return nullptr;
  if (record.instruction->getParent() != record.block)
    return "an instruction has moved";
  if (const auto *phi = dyn_cast<PHINode>(record.instruction))
    return examinePhi(record, *phi);
  if (record.instruction->isTerminator() && isa<BranchInst>(record.instruction))
    if (any_of(regions, [&](const SplicedRegion &region) {
          return region.call && region.entry == record.block;
        }))
      return nullptr;
  if (record.instruction->getNumOperands() != record.operands.size())
    return "an instruction has other operands";
  for (auto [now, was] :
       zip(record.instruction->operands(), record.operands))
    if (!isSame(now, was, record.block, record.region))
      return "an instruction takes another value";
  return nullptr;
}

// Whether an instruction that was not there before may be where it is: PHIs anywhere, all others around the calls.
bool SpliceChecker::belongs(const Instruction &instruction) const {
  const BasicBlock *block = instruction.getParent();
  return isa<PHINode>(instruction) ||
         any_of(regions, [&](const SplicedRegion &region) {
           if (region.checkCall && region.checkCall->getParent() == block)
             return &instruction == region.checkCall ||
                    isa<FreezeInst, BranchInst>(instruction);
           return region.call && region.call->getParent() == block &&
                  (&instruction == region.call || markedVariable(instruction) ||
                   isa<LoadInst, BranchInst>(instruction));
         });
}

// What was in a block before is in its old order, and nothing is new that does not belong there.
const char *SpliceChecker::examineBlock(const BasicBlock &block) const {
  size_t next = 0;
  for (const Instruction &instruction : block) {
    if (isNew(&instruction)) {
      if (!belongs(instruction))
        return "an instruction is new";
      continue;
    }
    size_t number = numbers.lookup(&instruction);
    if (number < next)
      return "an instruction has moved";
    next = number;
  }
  return nullptr;
}

// The way over the call, and what is called with.
const char *SpliceChecker::examineCall(const SplicedRegion &region) {
  if (region.call->getCalledFunction() != region.callee ||
      (region.checkCall &&
       region.checkCall->getCalledFunction() != region.check))
    return "another function is called";
  BasicBlock *block = region.call->getParent();
  BasicBlock *into = block;
  if (region.checkCall) {
    into = region.checkCall->getParent();
    auto *branch = dyn_cast<BranchInst>(into->getTerminator());
    if (!branch || !branch->isConditional() ||
        branch->getSuccessor(0) != block ||
        branch->getSuccessor(1) !=
            (region.otherwise ? region.otherwise : region.first) ||
        block->getSinglePredecessor() != into)
      return "the check does not decide";
    const auto *frozen = dyn_cast<FreezeInst>(branch->getCondition());
    if (!frozen || frozen->getOperand(0) != region.checkCall)
      return "the check does not decide";
  }
  if (region.entry->getSingleSuccessor() != into ||
      into->getSinglePredecessor() != region.entry ||
      block->getSingleSuccessor() != region.exit)
    return "control goes another way";
  for (BasicBlock *from : predecessors(region.exit))
    if (from != region.last && from != block)
      return "the region ends where others come from";
  const Record &holder = records[numbers.lookup(region.holder)];
  for (CallInst *call : {region.call, region.checkCall}) {
    if (!call)
      continue;
    for (auto [number, now] : enumerate(call->args()))
      if (!isSame(now, holder.operands[number], region.entry,
                  holder.region))
        return "the new code takes another value";
  }
  return nullptr;
}

// What is handed on by the new code is stored by that, and by nobody else.
const char *SpliceChecker::examineSlots(const SplicedRegion &region) {
  for (const Result &result : region.results) {
    bool isStored = false;
    for (User *user : result.slot->users()) {
      if (user == region.call) {
        for (const Use &argument : region.call->args())
          isStored |= argument == result.slot &&
                      mayStoreTo(region.callee->getArg(
                          region.call->getArgOperandNo(&argument)));
        continue;
      }
      auto *instruction = cast<Instruction>(user);
      bool isLoad = isa<LoadInst>(instruction) &&
                    instruction->getParent() == region.call->getParent();
      if (user != region.checkCall && user != region.holder && !isLoad &&
          !instruction->isLifetimeStartOrEnd())
        return "a result is used elsewhere";
    }
    if (!isStored)
      return "a result is not stored";
  }
  return nullptr;
}

// A variable is alive wherever it was, and where new code gets its address; it starts to live only where it was dead,
// and ends only where the region left it dead.
const char *SpliceChecker::examineLives() {
  Life now = livesOf();
  auto isMarked = [&](const Value *variable) {
    return now.variables.contains(cast<AllocaInst>(variable));
  };
  SmallPtrSet<const Instruction *, 8> holders;
  for (const SplicedRegion &region : regions)
    holders.insert(region.holder);
  for (const auto &[variable, instruction] : before.alive) {
    auto found = numbers.find(instruction);
    if (found == numbers.end() || !records[found->second].handle ||
        !isReached(records[found->second].block) || !isMarked(variable) ||
        holders.contains(instruction))
      continue;
    if (!now.alive.contains({variable, instruction}))
      return "a variable is dead where it was alive";
  }
  for (const SplicedRegion &region : regions) {
    if (!region.call)
      continue;
    for (const Use &argument : region.call->args())
      if (argument->getType()->isPointerTy())
        if (auto *variable =
                dyn_cast<AllocaInst>(getUnderlyingObject(argument));
            variable && isMarked(variable) &&
            !now.alive.contains({variable, region.call}))
          return "a variable is dead where new code gets it";
    if (const char *problem = examineMarks(region, now))
      return problem;
  }
  return nullptr;
}

// The marks around a call, and what is loaded there.
const char *SpliceChecker::examineMarks(const SplicedRegion &region,
                                const Life &now) const {
  for (const Instruction &instruction : *region.call->getParent()) {
    if (const auto *load = dyn_cast<LoadInst>(&instruction))
      if (!now.alive.contains({load->getPointerOperand(), load}))
        return "a result is dead where it is loaded";
    const AllocaInst *variable = markedVariable(instruction);
    if (!variable)
      continue;
    bool isSlot = any_of(region.results, [&](const Result &result) {
      return result.slot == variable;
    });
    if (cast<IntrinsicInst>(instruction).getIntrinsicID() ==
        Intrinsic::lifetime_start) {
      if (!now.dead.contains({variable, &instruction}))
        return "a variable starts to live twice";
    } else if (!isSlot && !before.isDeadAtEnd(variable, region.end)) {
      return "a variable ends to live too early";
    }
  }
  return nullptr;
}

std::string SpliceChecker::examine() {
  ReversePostOrderTraversal<Function *> traversal(&function);
  order.assign(traversal.begin(), traversal.end());
  reached.insert_range(order);
  auto say = [](const char *problem) {
    return std::string("placed wrongly: ") + problem;
  };
  for (const SplicedRegion &region : regions) {
    if (!region.call)
      continue;
    for (const char *problem : {examineCall(region), examineSlots(region)})
      if (problem)
        return say(problem);
  }
  for (const Record &record : records)
    if (const char *problem = examineRecord(record))
      return say(problem);
  for (const BasicBlock &block : function)
    if (isReached(&block))
      if (const char *problem = examineBlock(block))
        return say(problem);
  if (const char *problem = examineLives())
    return say(problem);
  return {};
}

// Structures as their members. What compilers copy as one, as Fortran's complex numbers and descriptors, is taken apart,
// and variables that nobody reads go. So do marks of the stack where nothing is allocated between them, which flang sets
// in each iteration of `do concurrent`.

#include "scalars.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// Structures with more members are left as they are.
constexpr unsigned maxMembers = 4;
// Variables with more users are left as they are.
constexpr unsigned maxUsers = 256;

// A structure of numbers that are loaded or stored by themselves as well as together.
const StructLayout *layoutOf(Type *type, const DataLayout &layout) {
  auto *structure = dyn_cast<StructType>(type);
  if (!structure || structure->getNumElements() == 0 ||
      structure->getNumElements() > maxMembers ||
      !all_of(structure->elements(), [](Type *member) {
        return member->isIntegerTy() || member->isFloatingPointTy() || member->isPointerTy();
      }))
    return nullptr;
  const StructLayout *places = layout.getStructLayout(structure);
  return places->getSizeInBits().isScalable() ? nullptr : places;
}

// The address of a member, and how it is aligned.
std::pair<Value *, Align> memberOf(IRBuilder<> &builder, Value *address,
                                   Align align, const StructLayout &places,
                                   unsigned member) {
  uint64_t offset = places.getElementOffset(member);
  if (offset == 0)
    return {address, align};
  // Both are in the place that the whole is in.
  Value *at = builder.CreateInBoundsPtrAdd(address, builder.getInt64(offset));
  return {at, commonAlignment(align, offset)};
}

void split(LoadInst &load, const StructLayout &places) {
  IRBuilder<> builder(&load);
  auto *type = cast<StructType>(load.getType());
  SmallVector<Value *, maxMembers> parts;
  for (unsigned member = 0; member < type->getNumElements(); ++member) {
    auto [address, align] = memberOf(builder, load.getPointerOperand(), load.getAlign(), places, member);
    LoadInst *part = builder.CreateAlignedLoad(type->getElementType(member), address, align);
    part->setAAMetadata(load.getAAMetadata().adjustForAccess(
        places.getElementOffset(member), part->getType(), load.getDataLayout()));
    parts.push_back(part);
  }
  for (User *user : make_early_inc_range(load.users()))
    if (auto *taken = dyn_cast<ExtractValueInst>(user)) {
      taken->replaceAllUsesWith(parts[taken->getIndices().front()]);
      taken->eraseFromParent();
    }
  if (!load.use_empty()) {
    Value *whole = PoisonValue::get(type);
    for (auto [member, part] : enumerate(parts))
      whole = builder.CreateInsertValue(whole, part, member);
    load.replaceAllUsesWith(whole);
  }
  load.eraseFromParent();
}

void split(StoreInst &store, const StructLayout &places) {
  IRBuilder<> builder(&store);
  Value *whole = store.getValueOperand();
  auto *type = cast<StructType>(whole->getType());
  for (unsigned member = 0; member < type->getNumElements(); ++member) {
    auto [address, align] = memberOf(builder, store.getPointerOperand(), store.getAlign(), places, member);
    Value *value = FindInsertedValue(whole, member);
    if (!value)
      value = builder.CreateExtractValue(whole, member);
    StoreInst *part = builder.CreateAlignedStore(value, address, align);
    part->setAAMetadata(store.getAAMetadata().adjustForAccess(
        places.getElementOffset(member), value->getType(), store.getDataLayout()));
  }
  store.eraseFromParent();
}

// Whether a variable is written only, by these instructions.
bool isUnread(AllocaInst &variable, SmallSetVector<Instruction *, 16> &users) {
  SmallVector<Instruction *, 8> work{&variable};
  while (!work.empty()) {
    Instruction *address = work.pop_back_val();
    for (Use &use : address->uses()) {
      // One instruction may use it twice.
      auto *user = cast<Instruction>(use.getUser());
      bool isNew = users.insert(user);
      if (users.size() > maxUsers)
        return false;
      if (isa<GetElementPtrInst>(user)) {
        if (isNew)
          work.push_back(user);
        continue;
      }
      if (const auto *store = dyn_cast<StoreInst>(user)) {
        if (!store->isSimple() || store->getValueOperand() == address)
          return false;
        continue;
      }
      if (const auto *bulk = dyn_cast<MemIntrinsic>(user)) {
        const auto *copy = dyn_cast<MemTransferInst>(bulk);
        if (bulk->isVolatile() || (copy && copy->getRawSource() == address))
          return false;
        continue;
      }
      if (!user->isLifetimeStartOrEnd())
        return false;
    }
  }
  return true;
}

} // namespace

void polyrs::splitStructures(Function &clone) {
  const DataLayout &layout = clone.getDataLayout();
  SmallVector<std::pair<Instruction *, const StructLayout *>, 8> accesses;
  for (Instruction &instruction : instructions(clone)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    auto *store = dyn_cast<StoreInst>(&instruction);
    if ((load && load->isSimple()) || (store && store->isSimple()))
      if (const StructLayout *places = layoutOf(getLoadStoreType(&instruction), layout))
        accesses.emplace_back(&instruction, places);
  }
  for (auto [access, places] : accesses) {
    if (auto *load = dyn_cast<LoadInst>(access))
      split(*load, *places);
    else
      split(*cast<StoreInst>(access), *places);
  }
  dropUnused(clone);
}

void polyrs::dropUnused(Function &clone) {
  for (BasicBlock &block : clone)
    for (Instruction &instruction : make_early_inc_range(reverse(block)))
      if (isa<InsertValueInst, ExtractValueInst>(instruction) && instruction.use_empty())
        instruction.eraseFromParent();
}

void polyrs::dropUnread(Function &clone) {
  SmallVector<AllocaInst *, 8> variables;
  for (Instruction &instruction : clone.getEntryBlock())
    if (auto *variable = dyn_cast<AllocaInst>(&instruction))
      variables.push_back(variable);
  for (AllocaInst *variable : variables) {
    SmallSetVector<Instruction *, 16> users;
    if (!isUnread(*variable, users))
      continue;
    for (Instruction *user : users)
      user->dropAllReferences();
    for (Instruction *user : users)
      user->eraseFromParent();
    variable->eraseFromParent();
  }
}

void polyrs::dropStackMarks(Function &clone) {
  SmallVector<IntrinsicInst *, 8> marks;
  for (Instruction &instruction : instructions(clone)) {
    const auto *variable = dyn_cast<AllocaInst>(&instruction);
    // What it takes of the stack is given back at a mark.
    if (variable && !variable->isStaticAlloca())
      return;
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call)
      continue;
    if (call->getIntrinsicID() == Intrinsic::stackrestore &&
        !match(call->getArgOperand(0), m_Intrinsic<Intrinsic::stacksave>()))
      return;
    if (call->getIntrinsicID() == Intrinsic::stacksave ||
        call->getIntrinsicID() == Intrinsic::stackrestore)
      marks.push_back(call);
  }
  // The stack is everywhere where it is at the entry. First what uses marks, then those that are used no more.
  for (Intrinsic::ID kind : {Intrinsic::stackrestore, Intrinsic::stacksave})
    for (IntrinsicInst *&mark : marks)
      if (mark && mark->getIntrinsicID() == kind && mark->use_empty()) {
        mark->eraseFromParent();
        mark = nullptr;
      }
}
